// Whether a call may go through a generic invoker. Only then the judge of inner calls is loaded.
import { existsSync } from 'node:fs';
import { saysSo } from '../guard/invoker/shape.ts';
import { configPath, projectConfigPath, stateHome } from '../state/paths.ts';
import type { BehindInvoker } from './behind-invoker.ts';
import type { JudgeSettings } from './judge-served.ts';
import { saysItLists } from './typed/says-it-lists.ts';
import type { Behind } from './types.ts';

/** @param ownName the tool that is called by a name; an invoker and a tool that lists are known by their own names */
export const behindInvokers = (judging: JudgeSettings, ownName: (called: string) => string): Behind => {
  let loaded: Promise<BehindInvoker> | undefined;
  const load = (): Promise<BehindInvoker> => {
    loaded ??= import('./judging.ts').then((module) => new module.BehindInvoker(judging));
    return loaded;
  };
  /** Settings may name invokers that are called like any other tool. */
  const isNamed = (): boolean =>
    [configPath(stateHome(judging.env)), projectConfigPath(judging.project)].some((path) => existsSync(path));
  return {
    listens: (called) => saysItLists(ownName(called)),
    heard: (call, result) => void load().then((behind) => behind.heard(call, result)),
    judge: async (call, own, meta) => {
      const name = ownName(call.name);
      return saysSo(name) || isNamed() ? (await load()).judge(call, own, meta, name) : { pass: true };
    },
  };
};
