import { readFileSync } from 'node:fs'

type PackageFile = { version: string }
const file = new URL('../package.json', import.meta.url)

/** The software version, from `package.json`. */
export const VERSION = (JSON.parse(readFileSync(file, 'utf8')) as PackageFile).version

/** The version of the HTTP API. */
export const API_VERSION = 'v1.2'
