/** Id of the section, for links. */
export const RECOVER = 'recover'
