/** Endpoints of the console for linked accounts (docs/decisions/0155). */
import type { Context } from 'hono'
import { z } from 'zod'
import { ApiError } from '../../../shared/errors/api-error.ts'
import { labelSchema } from '../../../shared/wire/agent.ts'
import { linkIdSchema, SHARE_SCOPES } from '../../../shared/wire/account-links.ts'
import { hasApiKeyFormat } from '../../../shared/wire/api-key.ts'
import { listAccounts, recordOpened } from '../../accounts/access.ts'
import {
  deleteLink,
  findOwnLink,
  newLinkId,
  renameLink,
  replaceLinkKey,
  storeLink,
} from '../../accounts/links.ts'
import { sealLinkKey } from '../../accounts/seal-link-key.ts'
import {
  acceptInvitation,
  declineInvitation,
  inviteToAccount,
  leaveAccount,
  removeShare,
} from '../../accounts/shares.ts'
import type { App, AppEnv } from '../../http/app-env.ts'
import { parseEmail } from '../../identity/email-address.ts'
import { notifyOfAcceptance, notifyOfInvitation, notifyOfLink } from '../../identity/notices.ts'
import type { Session } from '../../identity/sessions.ts'
import type { User } from '../../identity/users.ts'
import { requireRecentSignIn } from '../account/passkey-registration.ts'
import { privateResponse, requirePageRequest } from '../requests/page-request.ts'
import { readSameOriginJson } from '../requests/same-origin-json.ts'

const ACCOUNTS = '/console/accounts'

const keySchema = z.string().refine(hasApiKeyFormat, 'expected 44 characters of base64')
const linkBody = z.strictObject({ name: labelSchema, usage_api_key: keySchema })
const nameBody = z.strictObject({ name: labelSchema })
const keyBody = z.strictObject({ usage_api_key: keySchema })
const shareBody = z.strictObject({ email: z.string().max(1024), scope: z.enum(SHARE_SCOPES) })
const emptyBody = z.strictObject({})

export function registerAccountEndpoints(app: App): void {
  app.get(ACCOUNTS, (c) =>
    privateResponse(c, async () => {
      const { user } = await requirePageRequest(c)
      return c.json(await listAccounts(c.var.services, user))
    }),
  )
  const post = <Body extends object>(
    path: string,
    schema: z.ZodType<Body>,
    act: (c: Context<AppEnv>, user: User, body: Body, session: Session) => Promise<object | void>,
  ) =>
    app.post(path, (c) =>
      privateResponse(c, async () => {
        const session = await requirePageRequest(c)
        const { user } = session
        const body = await readSameOriginJson(c, schema)
        await c.var.services.requireRate('account_link', user.id)
        return c.json((await act(c, user, body, session)) ?? { success: true })
      }),
    )
  post(ACCOUNTS, linkBody, link)
  post(`${ACCOUNTS}/:id/rename`, nameBody, (c, user, { name }) =>
    renameLink(c.var.services, ownedLink(c, user), name),
  )
  post(`${ACCOUNTS}/:id/key`, keyBody, replaceKey)
  post(`${ACCOUNTS}/:id/unlink`, emptyBody, (c, user) =>
    deleteLink(c.var.services, ownedLink(c, user)),
  )
  post(`${ACCOUNTS}/:id/open`, emptyBody, (c, user) =>
    recordOpened(c.var.services, linkIdOf(c), user.id),
  )
  post(`${ACCOUNTS}/:id/shares`, shareBody, share)
  post(`${ACCOUNTS}/:id/shares/:share/remove`, emptyBody, (c, user) =>
    removeShare(c.var.services, ownedLink(c, user), c.req.param('share') ?? ''),
  )
  post(`${ACCOUNTS}/:id/leave`, emptyBody, (c, user) =>
    leaveAccount(c.var.services, linkIdOf(c), user.id),
  )
  post('/console/invitations/:share/accept', emptyBody, accept)
  post('/console/invitations/:share/decline', emptyBody, (c, user) =>
    declineInvitation(c.var.services, c.req.param('share') ?? '', user),
  )
}

async function link(
  c: Context<AppEnv>,
  user: User,
  { name, usage_api_key: usageKey }: z.infer<typeof linkBody>,
): Promise<object> {
  const { services } = c.var
  const owned = { linkId: newLinkId(services.random), ownerId: user.id }
  const sealed = await sealLinkKey(c.env, services.now, usageKey, owned)
  await storeLink(services, owned, { name, ...sealed })
  notifyOfLink(services, { user, name, change: 'linked' })
  return { id: owned.linkId }
}

async function replaceKey(
  c: Context<AppEnv>,
  user: User,
  { usage_api_key: usageKey }: z.infer<typeof keyBody>,
): Promise<void> {
  const { services } = c.var
  const owned = ownedLink(c, user)
  const { name } = await findOwnLink(services, owned)
  await replaceLinkKey(services, owned, await sealLinkKey(c.env, services.now, usageKey, owned))
  notifyOfLink(services, { user, name, change: 'replaced' })
}

/** A share outlives the session, so it requires a recent sign-in, as adding a passkey does. */
async function share(
  c: Context<AppEnv>,
  owner: User,
  { email: text, scope }: z.infer<typeof shareBody>,
  session: Session,
): Promise<void> {
  const { services } = c.var
  requireRecentSignIn(session, services.now(), 'share an account')
  const email = parseEmail(text)
  if (email === undefined)
    throw new ApiError(
      422,
      'email: expected an e-mail address.',
      'Send one such as ada@example.com.',
    )
  await services.requireRate('account_invitation', owner.id)
  const name = await inviteToAccount(services, { linkId: linkIdOf(c), owner }, { email, scope })
  notifyOfInvitation(services, { email, owner, name, scope })
}

async function accept(c: Context<AppEnv>, user: User): Promise<void> {
  const { services } = c.var
  const accepted = await acceptInvitation(services, c.req.param('share') ?? '', user)
  notifyOfAcceptance(services, { ...accepted, email: user.email })
}

function ownedLink(c: Context<AppEnv>, { id: ownerId }: User) {
  return { linkId: linkIdOf(c), ownerId }
}

/** An ID of another format is handled like an unknown one. */
function linkIdOf(c: Context<AppEnv>): string {
  return linkIdSchema.safeParse(c.req.param('id')).data ?? ''
}
