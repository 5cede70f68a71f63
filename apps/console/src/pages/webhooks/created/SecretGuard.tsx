import { LeaveGuard } from '../../../shared/LeaveGuard.tsx'

/** Asks before the user leaves a page with a secret that was not stored yet. */
export const SecretGuard = ({ active }: { readonly active: boolean }) => (
  <LeaveGuard active={active} title="Leave without the secret?">
    You have not confirmed that you stored the signing secret. It cannot be shown again. Without it, your
    server cannot verify requests, and you have to rotate the secret.
  </LeaveGuard>
)
