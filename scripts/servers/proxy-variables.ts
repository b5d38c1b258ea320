/** The variables that name a proxy; the first that is set counts. */
export const PROXY = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'];
/** Those that name what is reached without one. */
export const NO_PROXY = ['no_proxy', 'NO_PROXY'];
