// What a server offers besides tools, in the form of contracts, so that one diff compares everything.
import { sha256 } from './canonical.ts';
import { defined } from './defined.ts';
import { type Contract, isObject, type JsonObject, type OfferKind } from './types.ts';

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const words = (item: JsonObject): Pick<Contract, 'title' | 'description'> => ({
  ...defined({ title: text(item.title), description: text(item.description) }),
});

/** A prompt's arguments are strings, and optional unless marked as required. */
const promptContract = (prompt: JsonObject): Contract => {
  const given: unknown[] = Array.isArray(prompt.arguments) ? prompt.arguments : [];
  const named = given.filter((one) => isObject(one) && typeof one.name === 'string') as JsonObject[];
  const required = named.filter((argument) => argument.required === true).map(({ name }) => name as string);
  return {
    name: `prompt ${text(prompt.name)}`,
    ...words(prompt),
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(
        named.map((argument) => [argument.name as string, { type: 'string', ...words(argument) }]),
      ) as JsonObject,
      ...(required.length > 0 ? { required } : {}),
      additionalProperties: false,
    },
  };
};

const resourceContract =
  (kind: string, place: string) =>
  (resource: JsonObject): Contract => ({
    name: `${kind} ${text(resource[place])}`,
    ...words({ ...resource, title: resource.title ?? resource.name ?? null }),
    inputSchema: true,
    ...(text(resource.mimeType) === undefined
      ? {}
      : { outputSchema: { contentMediaType: text(resource.mimeType) as string } }),
  });

/** Before the host of a URI: a user and a password. */
const CREDENTIALS = /^([A-Za-z][\w+.-]*:\/\/)[^/?#]*@/;
/** A query or a fragment, which may hold tokens. The expressions of a template, `{?name}`, are neither. */
const QUERY = /(?<!\{)[?#].*$/s;

/**
 * A URI, or a name that holds one, without what may be secret: user, password, query and fragment. A digest replaces the
 * omitted parts, so that two of one address stay distinct.
 */
export const safeUri = (name: string): string => {
  const [, kind = '', uri = name] = /^((?:resource template|resource) )?(.*)$/s.exec(name) ?? [];
  const safe = uri.replace(CREDENTIALS, '$1').replace(QUERY, '?…');
  return safe === uri ? name : `${kind}${safe} #${sha256(uri).slice(0, 6)}`;
};

/** Most offers that are compared, of each kind: a server can offer a resource for every file. */
export const MOST_OFFERS = 2_000;

/** The list that an offer belongs to. */
export const listOf = ({ name }: Pick<Contract, 'name'>): OfferKind =>
  name.startsWith('prompt ') ? 'prompts' : 'resources';

/**
 * Prompts, resources and resource templates as contracts. Items that are not objects, or have no name, are left out.
 * @param most of each kind
 */
export const toOffers = (
  lists: { prompts?: unknown[]; resources?: unknown[]; resourceTemplates?: unknown[] },
  most = MOST_OFFERS,
): Contract[] => {
  const valid = (items: unknown[] | undefined, key: string): JsonObject[] =>
    ((items ?? []).filter((item) => isObject(item) && typeof item[key] === 'string') as JsonObject[]).slice(0, most);
  const all = [
    ...valid(lists.prompts, 'name').map(promptContract),
    ...valid(lists.resources, 'uri').map(resourceContract('resource', 'uri')),
    ...valid(lists.resourceTemplates, 'uriTemplate').map(resourceContract('resource template', 'uriTemplate')),
  ];
  return [...new Map(all.map((offer) => [offer.name, offer])).values()];
};
