/** Names of parameters come from the server, and a proposed call shows them unquoted: so only plain ones are shown. */
export const PLAIN_PARAMETER = /^[\w.$-]{1,64}$/;
