// Everything that judges, as one bundle that is loaded when something differs.
export { stopUnapproved } from './approved-since.ts';
export { BehindInvoker } from './behind-invoker.ts';
export { approveServed, judgeFailed, judgeServed, withNewName } from './judge-served.ts';
export { releaseLine } from './release.ts';
export { fitTyped } from './typed/fit-typed.ts';
