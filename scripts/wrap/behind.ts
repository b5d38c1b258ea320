// Whether a call may go through a generic invoker. Only then the judge of inner calls is loaded.
import { existsSync } from 'node:fs';
import { saysSo } from '../guard/invoker/shape.ts';
import { configPath, projectConfigPath, stateHome } from '../state/paths.ts';
import type { BehindInvoker } from './behind-invoker.ts';
import type { JudgeSettings } from './judge-served.ts';
import { saysItLists } from './typed/says-it-lists.ts';
import type { Behind } from './types.ts';

export const behindInvokers = (judging: JudgeSettings): Behind => {
  let loaded: Promise<BehindInvoker> | undefined;
  const load = (): Promise<BehindInvoker> => {
    loaded ??= import('./judging.ts').then((module) => new module.BehindInvoker(judging));
    return loaded;
  };
  /** Settings may name invokers that are called like any other tool. */
  const isNamed = (): boolean =>
    [configPath(stateHome(judging.env)), projectConfigPath(judging.project)].some((path) => existsSync(path));
  return {
    listens: saysItLists,
    heard: (call, result) => void load().then((behind) => behind.heard(call, result)),
    judge: async (call, own, meta) =>
      saysSo(call.name) || isNamed() ? (await load()).judge(call, own, meta) : { pass: true },
  };
};
