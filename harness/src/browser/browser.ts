import { type Browser, chromium } from 'playwright-core'
import { provideChromium } from './chromium.ts'

/**
 * Replaces the library's own list, which switches off as well that storage is kept apart by site: frames inside pages of
 * other sites would have none, as they have in browsers that people use.
 */
const SWITCHED_OFF = [
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'PaintHolding',
  'MediaRouter',
  'OptimizationHints',
]

/**
 * Starts a Chromium that reaches this machine and nothing else: every other name fails to resolve, also for what the
 * browser would ask of its maker.
 */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: provideChromium(),
    args: [
      // Its sandbox refuses to run as root; the pages here are our own.
      '--no-sandbox',
      `--disable-features=${SWITCHED_OFF.join(',')}`,
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
      // Machines that build have little shared memory.
      '--disable-dev-shm-usage',
    ],
  })
}
