/**
 * Blocks that `docs.test.ts` does not run in a reader's shell, each with the test that covers it or the reason why none
 * can.
 */
import type { Block } from './blocks.ts'

export type Elsewhere = {
  page: string
  /** Matches all blocks of the page in this language; `''` matches fences without one. */
  language?: string
  /** Matches the only block that contains this text. */
  has?: string
} & ({ ranBy: string } | { because: string })

// Validates bodies against the schemas that accept them.
const BODIES = 'test/system/docs/body-suite.ts'
// Stops the stack and restores it in another folder.
const RESTORE = 'test/system/docs/restore-suite.ts'
// Restore the data of a stack under load.
const RECOVER_POSTGRES = 'test/nightly/recovery/postgres.ts'
const RECOVER_EDGE = 'test/nightly/recovery/edge-storage.ts'
// Runs samples that form one program, and checks output that cannot be compared literally.
const PROGRAMS = 'test/system/docs/program-suite.ts'

const REAL_MACHINE = 'dstack’s VMM on a host with TDX'
const REGISTRY = 'pulls from a public registry and pushes to one of yours'

export const ELSEWHERE: readonly Elsewhere[] = [
  { page: 'docs/how-to/deploy.md', has: 'npm run image\n', ranBy: BODIES },
  { page: 'docs/chain-events.md', language: 'json', ranBy: BODIES },
  ...['use-from-a-program', 'own-an-account', 'derive-an-action', 'from-defender'].map((name) => ({
    page: `docs/how-to/${name}.md`,
    has: 'npm run packages',
    because:
      'changes node_modules of the checkout; packages.test.ts installs the packages elsewhere',
  })),
  {
    page: 'docs/typescript.md',
    has: 'export async function main({ a, b }',
    ranBy: 'test/shared/build/build-action.test.ts',
  },
  ...['"extends"', 'defineAction, type'].map((has) => ({
    page: 'docs/typescript.md',
    has,
    ranBy: 'test/system/packages.test.ts',
  })),
  { page: 'docs/testing.md', language: 'ts', ranBy: 'test/system/packages.test.ts' },
  {
    page: 'docs/contracts.md',
    has: 'PolicyAttestation(',
    ranBy: 'test/shared/policy-attestation.test.ts',
  },
  {
    page: 'docs/projects.md',
    language: 'json',
    ranBy: 'test/shared/cli/project/read-project.test.ts',
  },
  {
    page: 'docs/webhook-sources.md',
    has: '--webhook-secret-file',
    ranBy: 'test/shared/cli/trigger.test.ts',
  },
  { page: 'docs/examples.md', has: 'svc init', ranBy: 'test/shared/cli/project/init.test.ts' },
  { page: 'docs/projects.md', has: 'svc init', ranBy: 'test/system/project.test.ts' },
  { page: 'docs/projects.md', has: 'svc deploy', ranBy: 'test/system/deploy.test.ts' },
  { page: 'docs/projects.md', language: 'text', ranBy: 'test/shared/cli/project/plan.test.ts' },
  { page: 'docs/backup.md', language: 'sh', ranBy: RESTORE },
  { page: 'docs/backup.md', language: '', ranBy: RESTORE },
  { page: 'docs/operate.md', language: 'http', ranBy: 'test/origin/log/log-sink.test.ts' },
  { page: 'docs/operate.md', has: 'promtool test rules', ranBy: 'test/tree/monitoring.test.ts' },
  {
    page: 'docs/operate.md',
    has: 'suspend-account',
    ranBy: 'test/origin/operator/account-commands.test.ts',
  },
  {
    page: 'docs/operate.md',
    has: 'suspend-trigger <trigger ID>',
    because: 'an edge of yours; operator.test.ts sends the same commands to one',
  },
  ...['cp -a .svc', 'cp -a /backup'].map((has) => ({
    page: 'docs/backup.md',
    has,
    ranBy: RESTORE,
  })),
  { page: 'docs/backup.md', language: 'ini', ranBy: RECOVER_POSTGRES },
  { page: 'docs/backup.md', has: 'UPDATE agent_tokens', ranBy: RECOVER_EDGE },
  ...['min(complete_since)', 'complete_since = now()'].map((has) => ({
    page: 'docs/backup.md',
    has,
    ranBy: 'test/origin/policies/policy-sums.test.ts',
  })),
  ...['pg_backup_start', 'cp -a /data', 'recovery.signal'].map((has) => ({
    page: 'docs/backup.md',
    has,
    ranBy: RECOVER_POSTGRES,
  })),
  { page: 'docs/operate.md', language: 'yaml', because: 'Prometheus’ own, which is not here' },
  { page: 'README.md', has: 'REST clients', because: 'a picture' },
  { page: 'README.md', language: 'js', ranBy: PROGRAMS },
  { page: 'README.md', has: 'npm run demo\n', ranBy: 'test/system/journey.test.ts' },
  { page: 'README.md', has: 'npm start\n', ranBy: 'test/system/start.test.ts' },
  { page: 'README.md', has: 'the stack is ready', ranBy: 'test/system/journey.test.ts' },
  { page: 'README.md', has: 'svc verify https://localhost:8788\n', ranBy: PROGRAMS },
  { page: 'README.md', has: 'quote           PASSED', ranBy: PROGRAMS },
  { page: 'docs/cli.md', has: 'deployed  success', ranBy: 'test/shared/cli/listen.test.ts' },
  { page: 'docs/by-hand.md', has: 'npm start\n', ranBy: 'test/system/start.test.ts' },
  { page: 'docs/how-to/prepare.md', has: 'npm start\n', ranBy: 'test/system/start.test.ts' },
  {
    page: 'docs/how-to/sign-on-a-schedule.md',
    has: 'SVC_OUTBOUND_ALLOW=localhost:8545 npm start\n',
    ranBy: 'test/system/docs.test.ts',
  },
  {
    page: 'docs/how-to/use-an-agent.md',
    has: 'Read http://localhost:8787/SKILL.md, and make',
    because: 'a sentence to an agent; what it reads is done by a test of its own',
  },
  {
    page: 'docs/how-to/use-an-agent.md',
    language: 'json',
    ranBy: 'test/shared/cli/trigger.test.ts',
  },
  { page: 'docs/remote-mcp.md', language: 'json', ranBy: 'test/shared/cli/trigger.test.ts' },
  { page: 'docs/accounts.md', has: 'sendTransaction(params)', ranBy: PROGRAMS },
  { page: 'docs/actions.md', language: 'js', ranBy: 'test/origin/actions/docs.test.ts' },
  { page: 'docs/actions.md', language: 'json', ranBy: 'test/origin/actions/docs.test.ts' },
  { page: 'docs/actions.md', has: 'x-svc-error: action_threw', ranBy: PROGRAMS },
  { page: 'docs/architecture.md', language: '', because: 'a picture' },
  { page: 'docs/chain-secured.md', language: 'js', ranBy: PROGRAMS },
  { page: 'docs/cli.md', language: 'json', ranBy: 'test/shared/cli/trigger.test.ts' },
  { page: 'docs/client.md', language: 'js', ranBy: PROGRAMS },
  ...['--save wallet.json', '--bundle wallet.json'].map((has) => ({
    page: 'docs/policies.md',
    has,
    ranBy: 'test/shared/cli/wallet-proof/verify-wallet.test.ts',
  })),
  ...['json', 'sh', 'text'].map((language) => ({
    page: 'docs/policies.md',
    language,
    ranBy: 'test/shared/cli/wallet-policy.test.ts',
  })),
  {
    page: 'docs/policies.md',
    language: 'http',
    ranBy: 'test/origin/http/wallet-policies.test.ts',
  },
  { page: 'docs/configuration.md', language: 'json', ranBy: BODIES },
  {
    page: 'docs/configuration.md',
    has: 'npm run dev-vars',
    ranBy: 'test/system/wrangler-dev.test.ts',
  },
  { page: 'docs/credits.md', language: 'sql', ranBy: 'test/origin/credits/docs.test.ts' },
  { page: 'docs/credits.md', language: 'html', ranBy: BODIES },
  { page: 'docs/deploy.md', has: 'npm run image                    #', ranBy: BODIES },
  { page: 'docs/deploy.md', has: 'skopeo copy --all', because: REGISTRY },
  { page: 'docs/deploy.md', language: 'json', ranBy: BODIES },
  {
    page: 'docs/deploy.md',
    has: 'npm run contracts',
    because: 'a node and a multisig of yours; npm run rehearse executes it with its own',
  },
  {
    page: 'docs/deploy.md',
    has: 'openssl pkeyutl',
    because: 'a release of yours; the nightly verifies its own',
  },
  { page: 'docs/deploy.md', has: 'npm run app-compose', ranBy: BODIES },
  { page: 'docs/reliability.md', language: 'sh', because: 'campaigns of hours' },
  {
    page: 'docs/deploy.md',
    has: 'cast send',
    because: 'foundry’s cast, and members’ hardware wallets',
  },
  { page: 'docs/deploy.md', has: 'vmm-cli.py deploy', because: REAL_MACHINE },
  {
    page: 'docs/deploy.md',
    has: 'npm run simulated-root',
    ranBy: 'test/origin/keys/root-file.test.ts',
  },
  { page: 'docs/deploy.md', has: 'accounturi=', because: 'records of a zone that is signed' },
  { page: 'docs/deploy.md', has: 'npx wrangler d1 create', because: 'an account at Cloudflare' },
  {
    page: 'docs/deploy.md',
    has: 'svc verify https://<origin>',
    because: 'verifies real hardware; npm run rehearse executes it on a double',
  },
  {
    page: 'docs/derived-actions.md',
    language: '',
    ranBy: 'test/origin/actions/derived-actions.test.ts',
  },
  {
    page: 'docs/derived-actions.md',
    language: 'js',
    ranBy: 'test/origin/actions/derived-actions.test.ts',
  },
  { page: 'docs/alerts.md', language: 'json', ranBy: 'test/edge/alerts/channels.test.ts' },
  { page: 'docs/errors.md', language: 'json', ranBy: BODIES },
  { page: 'docs/receipts.md', language: 'ts', ranBy: PROGRAMS },
  { page: 'docs/triggers.md', language: 'json', ranBy: BODIES },
  {
    page: 'docs/triggers.md',
    language: 'js',
    ranBy: 'test/origin/actions/sender-verification.test.ts',
  },
  ...[
    'actions',
    'agents',
    'alerts',
    'failed-runs',
    'mcp',
    'runs',
    'service',
    'triggers',
    'webhook',
  ].map((name) => ({
    page: `docs/api/${name}.md`,
    language: 'text',
    ranBy: BODIES,
  })),
  ...[
    'accounts',
    'actions',
    'billing',
    'groups',
    'service',
    'transactions',
    'usage-keys',
    'wallets',
  ].flatMap((name) =>
    ['text', 'json'].map((language) => ({
      page: `docs/core-api/${name}.md`,
      language,
      ranBy: BODIES,
    })),
  ),
]

export const isOf = (entry: Elsewhere, { page, language, text }: Block) =>
  entry.page === page &&
  (entry.language === undefined || entry.language === language) &&
  (entry.has === undefined || text.includes(entry.has))
