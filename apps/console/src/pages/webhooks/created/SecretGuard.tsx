import { LeaveGuard } from '../../../shared/LeaveGuard.tsx'

/** Asks before a page is left on which a secret stands that was not stored yet. */
export const SecretGuard = ({ active }: { readonly active: boolean }) => (
  <LeaveGuard active={active} title="Leave without the secret?">
    You have not confirmed that you stored the signing secret. It is shown nowhere else: without it your
    server cannot check what arrives, and you have to rotate the secret.
  </LeaveGuard>
)
