import { ManualSendsLeft } from '../../../shared/manualSends/ManualSendsLeft.tsx'
import { useManualSendsLeft } from '../../../shared/manualSends/useManualSendsLeft.ts'

/** Reads how many manual sends are left, and says it. */
export const SendsLeft = ({ webhookId }: { readonly webhookId: string }) => (
  <ManualSendsLeft remaining={useManualSendsLeft(webhookId)} />
)
