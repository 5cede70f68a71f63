/** What a page of the audit log has in its address. */
export const auditSearch = ({ target }: Record<string, unknown>): { target?: string } =>
  typeof target === 'string' && target !== '' ? { target } : {}
