import { ManualSendsLeft } from '../../../shared/manualSends/ManualSendsLeft.tsx'
import { useManualSendsLeft } from '../../../shared/manualSends/useManualSendsLeft.ts'

/** The remaining manual sends. */
export const SendsLeft = ({ webhookId }: { readonly webhookId: string }) => (
  <ManualSendsLeft remaining={useManualSendsLeft(webhookId)} />
)
