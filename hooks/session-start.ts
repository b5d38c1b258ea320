// SessionStart: records what every source runs now, and says what changed since the last session.
import { readStdin } from '../scripts/guard/input.ts';
import { runHook, switchedOff } from '../scripts/guard/run-hook.ts';
import { afterwards, finishLater } from '../scripts/session/afterwards.ts';
import { sessionStarts } from '../scripts/session/session-starts.ts';

const words = process.argv.slice(2);
if (words.length === 0) runHook('SessionStart', (env) => sessionStarts(readStdin(), env, finishLater));
else if (!switchedOff(process.env))
  Promise.resolve(afterwards(words, process.env)).then(
    () => process.exit(0),
    () => process.exit(1),
  );
