import type { Format } from './types.ts';

/** All formats that `diff` can print. Each is loaded when it is used, so that text does not pay for the page. */
export const FORMATS = {
  text: async (): Promise<Format> => (await import('./text.ts')).text,
  markdown: async (): Promise<Format> => (await import('./markdown.ts')).markdown,
  sarif: async (): Promise<Format> => (await import('./sarif.ts')).sarif,
  github: async (): Promise<Format> => (await import('./github.ts')).github,
  junit: async (): Promise<Format> => (await import('./junit.ts')).junit,
  html: async (): Promise<Format> => (await import('./html/html.ts')).htmlPage,
};

export type FormatName = keyof typeof FORMATS;
