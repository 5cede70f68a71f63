/** What the name of an event type may be made of, where it need not be listed. */
export const isEventTypeName = (name: string): boolean => /^[A-Za-z0-9_./-]{1,128}$/.test(name)
