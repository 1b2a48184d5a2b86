import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** Debian's; the shell is the same engine without the browser's own windows, which cost as much as the pages. */
const executablePath =
  ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path)) ?? ''

/** Whether there is a browser to test in; a machine without one says so, once for each file. */
export const installed = executablePath !== ''
if (!installed) console.warn('no Chromium: the tests in a browser are skipped')

const args = [
  // Chromium's own sandbox needs rights that a container does not give; the pages are ours.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
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
