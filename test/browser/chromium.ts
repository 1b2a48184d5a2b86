import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const executablePath = '/usr/bin/chromium'

/** Whether there is a browser to test in; a machine without one says so, once for each file. */
export const installed = existsSync(executablePath)
if (!installed) console.warn(`no ${executablePath}: the tests in a browser are skipped`)

/**
 * Features that playwright-core 1.65 disables. Repeated here because Chromium heeds only the last `--disable-features`.
 */
const PLAYWRIGHT_DISABLES = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
]

/**
 * Features that start further renderers with each window, for the address bar and for a navigation to come: half of the
 * processor time of a visitor who opens a single page.
 */
const COSTLY = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'SpareRendererForSitePerProcess']

const args = [
  // Chromium's own sandbox needs rights that a container does not give; the pages are ours.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${[...PLAYWRIGHT_DISABLES, ...COSTLY].join()}`,
]

/** As people have it: a page that one comes back to is shown as it was left. Tests have it load anew, unless they say so. */
export function launchChromiumThatKeepsPages(): Promise<Browser> {
  const ignoreDefaultArgs = ['--disable-back-forward-cache']
  return chromium.launch({ executablePath, args, ignoreDefaultArgs })
}

/** @param flags further arguments */
export function launchChromium(...flags: string[]): Promise<Browser> {
  return chromium.launch({ executablePath, args: [...args, ...flags] })
}
