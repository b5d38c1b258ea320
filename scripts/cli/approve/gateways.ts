// `approve --gateways`: for a person, about the gateways that a project's settings name.
import type { Io, Outcome } from '../../command/command.ts';
import { loadConfig } from '../../config/config.ts';
import { agreedTo, rememberAgreed } from '../../config/project-gateways.ts';
import { needTypedCode } from '../../lock/need-person.ts';
import type { AskContext } from '../../lock/offers.ts';
import { askPerson, type Terminal } from '../../lock/question.ts';
import { quoteText } from '../../text/quote.ts';
import { visible } from '../../text/visible.ts';

/** Asks about each gateway in the project's settings that is still undecided, or about all of them if none is. */
export const askGateways = async ({ home, project }: AskContext, io: Io, terminal: Terminal): Promise<Outcome> => {
  const { gateways } = loadConfig(home, project, io.env).project;
  const named = Object.entries(gateways);
  const unasked = named.filter(([name, gateway]) => agreedTo(home, project, name, gateway) === undefined);
  const said: { name: string; url: string; agreed: boolean }[] = [];
  if (named.length > 0) await needTypedCode('approve', terminal);
  for (const [name, gateway] of unasked.length > 0 ? unasked : named) {
    const servers =
      gateway.servers === undefined
        ? 'every server that has a tool of the same name'
        : gateway.servers.map((one) => quoteText(one, 60)).join(', ');
    terminal.output.write(
      `The settings of this project name the gateway ${quoteText(name, 60)}:\n  ${visible(gateway.url, { max: 300 })}\n  it is asked which contracts hold for ${servers}\n`,
    );
    const reply = await askPerson('Ask it, from now on?', terminal);
    terminal.output.write('\n');
    if (reply === 'stop') break;
    rememberAgreed(home, project, name, gateway, reply === 'yes');
    said.push({ name, url: gateway.url, agreed: reply === 'yes' });
  }
  const lines = said.map(
    ({ name, agreed }) => `${quoteText(name, 60)}: ${agreed ? 'is asked from now on' : 'is not asked'}`,
  );
  return {
    exit: 0,
    data: { gateways: said },
    text: [...lines, ...(named.length === 0 ? ['The settings of this project name no gateway.'] : [])].join('\n'),
  };
};
