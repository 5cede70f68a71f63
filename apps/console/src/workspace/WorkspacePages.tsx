import { SignedIn } from '../app/SignedIn.tsx'
import { WorkspaceFrame } from './WorkspaceFrame.tsx'

export const WorkspacePages = () => (
  <SignedIn>
    <WorkspaceFrame />
  </SignedIn>
)
