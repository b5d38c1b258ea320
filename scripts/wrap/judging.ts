// All that judges, as one bundle: loaded where something differs, and not before.
export { BehindInvoker } from './behind-invoker.ts';
export { approveServed, judgeFailed, judgeServed, withNewName } from './judge-served.ts';
export { releaseLine } from './release.ts';
export { fitTyped } from './typed/fit-typed.ts';
