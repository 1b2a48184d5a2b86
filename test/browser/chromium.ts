import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

// Debian's paths. The headless shell has the same engine, without the cost of browser windows.
const executablePath =
  ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path)) ?? ''

/** True if a browser is installed; otherwise each test file logs a warning. */
export const installed = executablePath !== ''
if (!installed) console.warn('no Chromium: the tests in a browser are skipped')

const args = [
  // Chromium's sandbox needs privileges that containers lack. The pages are trusted.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Launches with the back/forward cache enabled, as users have it. By default, Playwright disables it. */
export function launchChromiumThatKeepsPages(): Promise<Browser> {
  const ignoreDefaultArgs = ['--disable-back-forward-cache']
  return chromium.launch({ executablePath, args, ignoreDefaultArgs })
}

export function launchChromium(...flags: string[]): Promise<Browser> {
  return chromium.launch({ executablePath, args: [...args, ...flags] })
}
