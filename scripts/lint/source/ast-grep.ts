import { optionalPackage } from '../../command/optional-package.ts';

export type AstGrep = typeof import('@ast-grep/napi');

/** Loads the parser, which is native and so cannot be part of a bundle. */
export const loadAstGrep = (from = import.meta.url): AstGrep =>
  optionalPackage('@ast-grep/napi', from, {
    code: 'no-parser',
    what: 'Linting source needs',
    without: 'Linting contracts does not need it.',
  });
