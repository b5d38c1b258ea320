/** The URL in a text; undefined if it is not one of http or https. */
export const httpUrl = (text: string): URL | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
};
