import { signOut } from '../api/session.ts'
import { showFailure } from '../shared/notify.ts'

/** Signs out, or shows why that failed. @param everywhere in every browser */
export async function leave(everywhere: boolean): Promise<void> {
  try {
    await signOut(everywhere)
  } catch (error) {
    showFailure('You are still signed in', error)
  }
}
