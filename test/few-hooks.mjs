// Loaded before each test file. To name the test whose error nobody caught, node:test keeps a record of every promise until it
// is collected, which takes a tenth of the processor time or more. Here each promise notes its test itself, so nothing has to be
// kept or watched; node:test learns of it once there is such an error.
import { createHook, executionAsyncId, executionAsyncResource } from 'node:async_hooks';

const hooks = Object.getPrototypeOf(createHook({}));
const { enable } = hooks;
const TEST = Symbol('test');

// The first hook that is enabled is the one of node:test.
hooks.enable = function () {
  hooks.enable = enable;
  const symbols = Object.getOwnPropertySymbols(this);
  const [init, destroy] = ['init', 'destroy'].map((name) => symbols.find(({ description }) => description === name));
  const keep = this[init];
  // A Node that names them differently keeps its way.
  if (keep === undefined || this[destroy] === undefined) return enable.call(this);
  this[destroy] = undefined;
  this[init] = (id, type, from, resource) => {
    if (type === 'Test') keep(id, type, from, resource);
    const test = type === 'Test' ? id : executionAsyncResource()[TEST];
    if (test !== undefined) resource[TEST] = test;
  };
  for (const event of ['uncaughtException', 'unhandledRejection'])
    process.prependListener(event, () => keep(executionAsyncId(), '', executionAsyncResource()[TEST], {}));
  return enable.call(this);
};
