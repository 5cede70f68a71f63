import { type Browser, chromium } from 'playwright-core'
import { provideChromium } from './chromium.ts'
import { TestBrowser } from './testBrowser.ts'

/**
 * Replaces the library's own list, which also disables storage partitioning: frames inside pages of other
 * sites would then have no storage of their own, as they have in real browsers.
 */
const DISABLED_FEATURES = [
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'PaintHolding',
  'MediaRouter',
  'OptimizationHints',
  // Every window would load two pages for the menu under its address bar, which no test sees. That takes
  // longer than most pages here.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
]

/**
 * The variables that the program needs. Any other could change how pages look or which servers the browser
 * contacts.
 */
const PASSED_ON = ['PATH', 'HOME', 'TMPDIR', 'LD_LIBRARY_PATH']

/**
 * Starts a Chromium that reaches only this machine: every other name fails to resolve, also for the browser's
 * own services. Language, time zone, desktop settings and proxies of the machine do not affect it.
 */
export async function launchBrowser(): Promise<TestBrowser> {
  const browser: Browser = await chromium.launch({
    executablePath: provideChromium(),
    env: browserEnvironment(process.env),
    args: [
      // Its sandbox does not run as root; the pages here are our own.
      '--no-sandbox',
      `--disable-features=${DISABLED_FEATURES.join(',')}`,
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
      // A proxy would resolve the names.
      '--no-proxy-server',
      '--lang=en-GB',
      // Letters are as wide as their font defines, whatever the machine's font configuration prefers.
      '--font-render-hinting=none',
      '--disable-lcd-text',
      // Build machines have little shared memory.
      '--disable-dev-shm-usage',
    ],
  })
  return new TestBrowser(browser)
}

/** @param env of this process */
function browserEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  const passedOn = PASSED_ON.flatMap((name) => {
    const value = env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  // Without an address the browser looks for a desktop bus, which would change its colors and fonts.
  return { ...Object.fromEntries(passedOn), DBUS_SESSION_BUS_ADDRESS: 'disabled:' }
}
