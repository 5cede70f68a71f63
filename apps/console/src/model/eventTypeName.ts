/** Whether a name is valid for an event type that is not in the catalog. */
export const isEventTypeName = (name: string): boolean => /^[A-Za-z0-9_./-]{1,128}$/.test(name)
