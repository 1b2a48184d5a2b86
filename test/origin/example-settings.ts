import { randomBytes } from 'node:crypto'

/** The required settings of a local stack. */
export const LOCAL = {
  SVC_ENV: 'local',
  SVC_TEE: 'simulated',
  SVC_PUBLIC_URL: 'https://localhost:8788',
  SVC_CHAIN_RPC: 'http://127.0.0.1:8545',
  SVC_CONTRACT_ADDRESS: `0x${'ab'.repeat(20)}`,
  SVC_CONTRACT_BLOCK: '5',
  SVC_CHANNEL_PSK: randomBytes(32).toString('base64url'),
  DATABASE_URL: 'postgres://u:p@db/svc',
}
/** The settings of payments, with the processor's test keys. */
export const PROCESSOR = {
  SVC_PROCESSOR_SECRET_KEY: 'sk_test_abc',
  SVC_PROCESSOR_PUBLISHABLE_KEY: 'pk_test_abc',
  SVC_PROCESSOR_WEBHOOK_SECRET: 'whsec_12345678,whsec_87654321',
}
