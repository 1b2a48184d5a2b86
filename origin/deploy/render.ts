/**
 * `npm run app-compose -- deployment.json [app-compose.json]`: writes the app-compose text, and prints its hash, which
 * the governance contract has to approve.
 */
import { hash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { appComposeText } from './app-compose.ts'
import { fillInCompose } from './fill-in.ts'

const [, , deployment, output = 'app-compose.json'] = process.argv
if (deployment === undefined) {
  console.error('usage: npm run app-compose -- deployment.json [app-compose.json]')
  process.exit(2)
}
const compose = readFileSync(new URL('docker-compose.yaml', import.meta.url), 'utf8')
const values = JSON.parse(readFileSync(deployment, 'utf8')) as Record<string, unknown>
try {
  const text = appComposeText(fillInCompose(compose, values))
  writeFileSync(output, text)
  console.log(`${output}: compose hash ${hash('sha256', text)}`)
} catch (error) {
  console.error(`${deployment} is ${(error as Error).message}`)
  process.exitCode = 1
}
