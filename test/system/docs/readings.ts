/** Per-page setup: commands to run first, and replacements. */
import type { StartedStack } from '../stack.ts'
import { isCommands } from './blocks.ts'
import { blockWith, readOf } from './documents.ts'

const ofByHand = (text: string) => blockWith('docs/by-hand.md', text)
export const definitions = () => ofByHand('core() {')
const account = `
  API_KEY=$(core $BASE_URL/core/v1/new_account -d '{"account_name":"a","account_description":""}' | field .api_key)
  USAGE_KEY=$(core $BASE_URL/core/v1/add_usage_api_key -H "x-api-key: $API_KEY" -d '{"name":"execute only"}' | field .usage_api_key)
`
export const prepared = () =>
  readOf('docs/how-to/prepare.md')
    .filter((block) => isCommands(block) && !block.text.includes('whoami'))
    .map(({ text }) => text)
/** Commands that create an approved token and a second, unapproved challenge. */
const token = () =>
  ['curl -sS -o /dev/null $TRIGGERS_URL/sign-in', 'TOKEN=$(openssl', 'CSRF=$(curl'].map(ofByHand)

/** Setup of one page: commands to run first, replacements, and text that the output must contain. */
export type Reading = { before?: string[]; inPlaceOf?: Record<string, string>; prints?: string[] }

/** Setup by page. Some replacements end commands that would otherwise run indefinitely. */
export const READINGS: Record<string, (started: StartedStack) => Reading> = {
  'docs/credits.md': () => ({ before: [definitions(), account], prints: ['day,api_key_hash,'] }),
  'docs/by-hand.md': () => ({ prints: ['"status":"success"', '"message":"hello from a webhook"'] }),
  'docs/triggers.md': () => ({
    before: [definitions(), ofByHand('TOKEN=$(openssl')],
    prints: ['"user_code"'],
  }),
  'docs/chain-events.md': () => ({
    before: [definitions(), account, ...token()],
    // Uses the chain that this stack watches, and an existing key.
    inPlaceOf: { '"chain": "base"': '"chain": "ethereum"', '"..."': `"'"$USAGE_KEY"'"` },
    prints: ['"canonical_signature":"Transfer(address,address,uint256)"'],
  }),
  'docs/cli.md': () => ({
    before: [`echo 'const main = (params) => params' > /tmp/action.js`],
    inPlaceOf: {
      'svc up ': 'true ',
      ' action.js': ' /tmp/action.js',
      'svc trigger tail greeter': `svc trigger fire greeter --no-wait --body '{}'; svc trigger tail greeter --once --since 2026-01-01T00:00:00Z`,
    },
    prints: ['success'],
  }),
  'docs/how-to/deploy.md': () => ({ before: [] }),
  'docs/transactions.md': () => ({ before: prepared().slice(0, 1) }),
  'docs/receipts.md': (started) => ({
    before: [
      ...prepared().slice(0, 1),
      `echo 'const main = () => 1' > /tmp/a.js
       svc group create --action /tmp/a.js > /tmp/made
       svc key create --execute-in 1 > /tmp/made
       svc run /tmp/a.js --receipt /tmp/receipts.txt`,
    ],
    // Exit code 3 means SIMULATED.
    inPlaceOf: {
      'https://origin.example --save bundle.json': `${started.baseUrl} --save /tmp/bundle.json || test $? = 3`,
      ' bundle.json': ' /tmp/bundle.json',
      ' receipts.txt': ' /tmp/receipts.txt',
    },
  }),
}
