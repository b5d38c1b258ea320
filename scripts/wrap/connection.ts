// What the two directions of one connection share.
import { Announcements } from './announce.ts';
import { ListFreshness } from './freshness.ts';
import { hostIn } from './host-habits.ts';
import { LineWriter, Tap } from './lines.ts';
import { Lists } from './lists.ts';
import { CALL, CANCELLED, type Message } from './message.ts';
import { OwnRequests, type Patience } from './own-requests.ts';
import type { ServerSide } from './server-side.ts';
import { Tellings } from './tellings.ts';
import type { HeldCall, HostTools, Side } from './types.ts';
import { UnderWay } from './under-way.ts';
import { nameOf, type VerdictSettings, Verdicts } from './verdicts.ts';

export interface RelaySettings extends VerdictSettings {
  host: Side;
  server: Side & Pick<ServerSide, 'listeningSince' | 'again'>;
  offer?: HostTools;
  /** Told of each call whose contract is unchanged, when it is under way. */
  passed?(call: HeldCall): void;
  /** How long the server may take to answer us; as usual if absent. */
  patience?: Patience;
  /** Told of each list that the host was given. */
  given?(tools: readonly unknown[]): void;
}

export class Connection {
  readonly settings: RelaySettings;
  readonly fromHost: Tap;
  readonly fromServer: Tap;
  readonly toHost: LineWriter;
  readonly toServer: LineWriter;
  readonly underWay = new UnderWay();
  readonly tellings = new Tellings();
  readonly own: OwnRequests;
  readonly announcements: Announcements;
  /** Of a server that is too far away to be asked before each call. */
  readonly fresh: ListFreshness | undefined;
  readonly lists: Lists;
  readonly verdicts: Verdicts;
  /** How often the server's tools changed, as far as it says so. */
  changes = 0;
  /** What the host calls itself. */
  hostName: string | undefined;
  /** What the host says of itself with each request, in the protocol's newer revisions. */
  hostMeta: unknown;
  /** The call that came last. */
  lastCall: Message | undefined;

  constructor(settings: RelaySettings) {
    const { host, server, offer, given, patience } = settings;
    this.settings = settings;
    [this.fromHost, this.fromServer] = [new Tap(host.output), new Tap(server.output)];
    [this.toHost, this.toServer] = [new LineWriter(host.input), new LineWriter(server.input)];
    this.own = new OwnRequests({
      send: (line) => this.toServer.say(line),
      isBusy: () => this.underWay.isBusy,
      changes: () => this.changes,
      patience,
    });
    this.announcements = new Announcements((line) => this.toHost.say(line));
    this.fresh = server.listeningSince && new ListFreshness(() => server.listeningSince?.());
    this.lists = new Lists({
      own: this.own,
      announcements: this.announcements,
      fresh: this.fresh,
      isBehind: () => server.output.readableLength > 0,
      offer,
      given,
    });
    this.verdicts = new Verdicts(this.lists, this.own, settings);
  }

  /** The server says that its list changed, or may have changed it because it restarted. */
  changed(): void {
    this.changes++;
    this.fresh?.announced();
  }

  /** Notes of a passed-on message why its answer will be read. */
  note(message: Message): void {
    const { idText, method } = message;
    if (method === undefined) return;
    this.hostName = hostIn(message) ?? this.hostName;
    this.announcements.asked(message);
    if (method === 'initialize') this.tellings.forget();
    if (method === CANCELLED) this.underWay.dropped(message.takesBack);
    if (idText === undefined) return;
    if (method === CALL) this.lastCall = message;
    if (method === 'tools/list') this.hostMeta = message.params._meta;
    const { behind } = this.settings;
    this.underWay.asked(idText, message, method === CALL && behind?.listens(nameOf(message)) === true);
  }
}
