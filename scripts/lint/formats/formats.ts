import type { LintFormat } from './types.ts';

/** The formats of `diff`, for what lint finds. Loaded one at a time. */
export const FORMATS = {
  text: async (): Promise<LintFormat> => (await import('./text.ts')).text,
  markdown: async (): Promise<LintFormat> => (await import('./markdown.ts')).markdown,
  sarif: async (): Promise<LintFormat> => (await import('./sarif.ts')).sarif,
  github: async (): Promise<LintFormat> => (await import('./github.ts')).github,
  junit: async (): Promise<LintFormat> => (await import('./junit.ts')).junit,
  html: async (): Promise<LintFormat> => (await import('./page.ts')).page,
};
