import { readFileSync } from 'node:fs'

const about = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')

export const { version } = JSON.parse(about) as { version: string }
