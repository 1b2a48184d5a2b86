import type { EndedRequestCode } from '../../../shared/wire/ended-request-codes.ts'
import type { ApprovalResult } from '../../identity/agent-tokens.ts'
import type { noticePage } from '../layout/render-page.tsx'

type Notice = Parameters<typeof noticePage>[1]

const NEW_TOKEN = 'Have your program generate a new token, and open the new link.'
const TOKENS = { href: '/agent/tokens', text: 'Access tokens' }

export const OUTCOMES: Record<Exclude<ApprovalResult, 'registered'> | EndedRequestCode, Notice> = {
  granted: {
    title: 'Authorized',
    text: 'Your program can use its token now. You can close this page.',
    link: TOKENS,
  },
  already_granted: {
    title: 'Already authorized',
    text: 'You authorized this token before. Nothing changed, including its expiry date.',
    link: TOKENS,
  },
  taken: {
    status: 409,
    title: 'This token is already used by another account',
    text: `Nothing was granted. ${NEW_TOKEN} The old token belongs to an account that is not yours.`,
  },
  revoked: {
    status: 410,
    title: 'This token was revoked',
    text: `It cannot be authorized again. ${NEW_TOKEN}`,
  },
  expired: {
    status: 410,
    title: 'This token has expired',
    text: `It cannot be authorized again. ${NEW_TOKEN}`,
  },
  request_refused: {
    status: 410,
    title: 'This request was refused',
    text: `It can no longer be authorized. If you refused it by mistake: ${NEW_TOKEN}`,
  },
  request_locked: {
    status: 410,
    title: 'This request is locked',
    text: `Too many wrong codes were entered. Nothing was granted. ${NEW_TOKEN}`,
  },
  request_expired: {
    status: 410,
    title: 'This request has expired',
    text: `Nothing was granted. A request expires after ten minutes. ${NEW_TOKEN}`,
  },
}
