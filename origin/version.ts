import { readFileSync } from 'node:fs'

type PackageFile = { version: string }
const file = new URL('../package.json', import.meta.url)

export const VERSION = (JSON.parse(readFileSync(file, 'utf8')) as PackageFile).version

export const API_VERSION = 'v1.2'
