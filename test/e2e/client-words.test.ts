// What the client's own descriptions of its options say, where no run on this system can show it: hooks on Windows.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { clientBinary, versions } from './client.ts';

describe('a hook with args', () => {
  for (const version of versions)
    it(`is started without a shell, so without Git Bash and PowerShell: ${version}`, () => {
      const program = readFileSync(clientBinary(version));
      // The source breaks the texts into pieces.
      for (const said of [
        'Argument list for exec form. When present, `command` is resolved as ',
        'per-element as plain strings, so paths with quotes, $, or backticks never reach a shell parser',
        'PowerShell on Windows without Git Bash',
      ])
        assert.ok(program.includes(said), said);
    });
});
