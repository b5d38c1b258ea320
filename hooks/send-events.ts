// Sends verdicts to a collector, in a process of its own that other programs of ours start in the background.
import { sendEvents } from '../scripts/telemetry/send.ts';

const [, , home = '', project = ''] = process.argv;
// Whatever went wrong: the log keeps what was not sent, and a later process sends it.
sendEvents(home, project, process.env).then(
  () => process.exit(0),
  () => process.exit(1),
);
