import { provideChromium } from '../harness/src/browser/chromium.ts'

/** Once, before all test files: two that find none must not install it side by side. */
export default function setup(): void {
  provideChromium()
}
