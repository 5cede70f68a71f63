/** Names the section on the page, so that others can link to it. */
export const RECOVER = 'recover'
