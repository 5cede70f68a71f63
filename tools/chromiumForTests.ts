import { provideChromium } from '../harness/src/browser/chromium.ts'

/** Once, before all test files, so that two of them do not install it concurrently. */
export default function setup(): void {
  provideChromium()
}
