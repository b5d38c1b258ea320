import type { LintFormat } from './types.ts';

/** The same formats as for `diff`, for findings. Each is loaded when it is used. */
export const FORMATS = {
  text: async (): Promise<LintFormat> => (await import('./text.ts')).text,
  markdown: async (): Promise<LintFormat> => (await import('./markdown.ts')).markdown,
  sarif: async (): Promise<LintFormat> => (await import('./sarif.ts')).sarif,
  github: async (): Promise<LintFormat> => (await import('./github.ts')).github,
  junit: async (): Promise<LintFormat> => (await import('./junit.ts')).junit,
  html: async (): Promise<LintFormat> => (await import('./page.ts')).page,
};
