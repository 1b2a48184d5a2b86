import { expect, it } from 'vitest'
import { runAction, testWallet } from '@svc-run/cli/test'
import policy from '../policy.json'

const vault = testWallet('vault', { policy })
const DISCORD = 'https://discord.com/api/webhooks/1/token-of-the-webhook'

async function alert(channel: string, secret: string, status = 204) {
  const encrypted = await runAction('src/encrypt.ts', {
    params: { wallet: vault.address, secret },
    wallets: { vault },
  })
  return runAction('src/alert.ts', {
    params: {
      source: 'chain_event',
      event: {
        transaction_hash: '0xabc',
        decode: 'exact',
        decoded: {
          arg0: '0x000000000000000000000000000000000000dEaD',
          arg1: '0x000000000000000000000000000000000000bEEF',
          arg2: '1500000',
        },
      },
      wallet: vault.address,
      channel,
      secret: encrypted.response,
    },
    wallets: { vault },
    fetch: {
      [`POST ${DISCORD}`]: { status },
      'POST https://api.telegram.org/bot12:ab/sendMessage': { json: { ok: true } },
    },
  })
}

const TEXT =
  '1.5 USDC from 0x000000000000000000000000000000000000dEaD to 0x000000000000000000000000000000000000bEEF\nhttps://basescan.org/tx/0xabc'

it('sends a message to Discord', async () => {
  const run = await alert('discord', DISCORD)
  expect(run).toRespondWith({ text: TEXT })
  expect(run).toHaveRequested(`POST ${DISCORD}`, { content: TEXT })
})

it('sends a message to Telegram', async () => {
  const run = await alert('telegram', '12:ab -100')
  expect(run).toHaveRequested('POST https://api.telegram.org/bot12:ab/sendMessage', {
    chat_id: '-100',
    text: TEXT,
  })
})

it('fails without the secret in the error', async () => {
  const run = await alert('discord', DISCORD, 404)
  expect(run).toFailWith('action_threw', 'discord responded with 404')
  expect(JSON.stringify(run.error)).not.toContain('token-of-the-webhook')
})

it('sends the secret to no other host', async () => {
  const run = await alert('discord', 'https://attacker.example.com/')
  expect(run).toFailWith('action_threw', 'not the URL of a webhook of Discord')
  expect(run.requests).toEqual([])
})
