import {
  failureResponses,
  jsonContent,
  type OpenApiPaths,
} from '../../../shared/openapi/document.ts'
import { MCP_PATH } from '../../../shared/wire/mcp.ts'
import { DEVICE_GRANT_TYPE, DEVICE_PATH, OAUTH_PATHS } from '../../../shared/wire/oauth.ts'
import { formDescription, pageDescription } from './page-descriptions.ts'

const BAD_REQUEST = {
  400: { description: 'A page that explains the error.', content: { 'text/html': {} } },
}
const REDIRECT = { 303: { description: 'Redirects to the sign-in page, and back afterwards.' } }

const text = (description: string) => ({ type: 'string', description })

const queryParameters = Object.entries({
  response_type: '`code`.',
  client_id: 'The URL of the client’s metadata document.',
  redirect_uri: 'As in the metadata document. The port of a loopback URI may differ.',
  code_challenge: 'base64url of the SHA-256 of the code verifier, without padding.',
  code_challenge_method: '`S256`.',
}).map(([name, description]) => ({
  name,
  in: 'query' as const,
  required: true,
  description,
  schema: { type: 'string' },
}))

const optionalParameters = Object.entries({
  scope: 'Scopes, separated by spaces. Default: all.',
  resource: 'The URL of the MCP server, which is also the default.',
  state: 'Returned to the client.',
}).map(([name, description]) => ({
  name,
  in: 'query' as const,
  required: false,
  description,
  schema: { type: 'string' },
}))

/** Failures of the OAuth endpoints have the form of RFC 6749, 5.2. */
const oauthFailures = Object.fromEntries(
  [400, 401, 429].map((status) => [
    status,
    {
      description: 'The request was rejected (RFC 6749, 5.2).',
      content: jsonContent({
        type: 'object',
        required: ['error'],
        properties: { error: text('Error code.'), error_description: text('The problem.') },
      }),
    },
  ]),
)

const metadata = (operationId: string, summary: string) => ({
  get: {
    operationId,
    summary,
    security: [],
    responses: {
      200: { description: 'The metadata.', content: jsonContent({ type: 'object' }) },
      ...failureResponses(500, 503),
    },
  },
})

const formBody = (required: string[], properties: Record<string, object>) => ({
  required: true,
  content: {
    'application/x-www-form-urlencoded': { schema: { type: 'object', required, properties } },
  },
})

export const mcpRoutes: OpenApiPaths = {
  [MCP_PATH]: {
    post: {
      operationId: 'mcp',
      summary:
        'The remote MCP server (Streamable HTTP, without sessions). Accepts access tokens of `POST /oauth/token`, and agent tokens.',
      security: [],
      parameters: [
        {
          name: 'Authorization',
          in: 'header',
          required: true,
          description: '`Bearer` followed by the token.',
          schema: { type: 'string' },
        },
      ],
      requestBody: { required: true, content: jsonContent({ type: 'object' }) },
      responses: {
        200: {
          description: 'A JSON-RPC response, as JSON or as an event stream.',
          content: { ...jsonContent({ type: 'object' }), 'text/event-stream': {} },
        },
        202: { description: 'The notification was accepted.' },
        ...failureResponses(400, 401, 403, 413, 415, 429, 500, 503),
      },
    },
  },
  [OAUTH_PATHS.serverMetadata]: metadata(
    'oauth_server_metadata',
    'Returns the metadata of the OAuth server (RFC 8414).',
  ),
  [OAUTH_PATHS.resourceMetadata]: metadata(
    'oauth_resource_metadata_at_root',
    'Returns the metadata of the MCP server (RFC 9728), for clients that request the root.',
  ),
  [OAUTH_PATHS.resourceMetadata + MCP_PATH]: metadata(
    'oauth_resource_metadata',
    'Returns the metadata of the MCP server as a resource (RFC 9728).',
  ),
  [OAUTH_PATHS.authorize]: {
    get: {
      ...pageDescription('The page to authorize or refuse a client.', 'oauth_authorize_page', {
        ...REDIRECT,
        ...BAD_REQUEST,
      }),
      parameters: [...queryParameters, ...optionalParameters],
    },
    post: formDescription('Authorizes or refuses a client.', 'oauth_authorize', [
      'request',
      'csrf',
      'access',
      'decision',
    ]),
  },
  [OAUTH_PATHS.token]: {
    post: {
      operationId: 'oauth_token',
      summary:
        'Exchanges an authorization code, a device code or a refresh token for tokens of the MCP server.',
      security: [],
      requestBody: formBody(['grant_type', 'client_id'], {
        grant_type: text(`\`authorization_code\`, \`refresh_token\` or \`${DEVICE_GRANT_TYPE}\`.`),
        client_id: text('The URL of the client’s metadata document.'),
        code: text('The authorization code.'),
        code_verifier: text('The PKCE verifier of the code.'),
        redirect_uri: text('If sent, as in the authorization request.'),
        device_code: text(
          'The device code. The error is `authorization_pending` until the person decides, and `slow_down` if the client polls too often.',
        ),
        refresh_token: text('The refresh token, which is replaced.'),
        resource: text('The URL of the MCP server, which is also the default.'),
        scope: text('For a refresh token: scopes that were granted.'),
      }),
      responses: {
        200: {
          description: 'The tokens.',
          content: jsonContent({
            type: 'object',
            required: ['access_token', 'token_type', 'expires_in', 'refresh_token', 'scope'],
            properties: {
              access_token: text('Valid for an hour.'),
              token_type: text('`Bearer`.'),
              expires_in: { type: 'integer', description: 'Seconds.' },
              refresh_token: text('Can be used once.'),
              scope: text('Granted scopes, separated by spaces.'),
            },
          }),
        },
        ...oauthFailures,
        ...failureResponses(500, 503),
      },
    },
  },
  [OAUTH_PATHS.deviceAuthorization]: {
    post: {
      operationId: 'oauth_device_authorization',
      summary:
        'Creates a device code and a user code, for programs without a browser (RFC 8628). Valid for ten minutes.',
      security: [],
      requestBody: formBody(['client_id'], {
        client_id: text('The URL of the client’s metadata document.'),
        scope: text('Scopes, separated by spaces. Default: all.'),
        resource: text('The URL of the MCP server, which is also the default.'),
      }),
      responses: {
        200: {
          description: 'The codes.',
          content: jsonContent({
            type: 'object',
            required: [
              'device_code',
              'user_code',
              'verification_uri',
              'verification_uri_complete',
              'expires_in',
              'interval',
            ],
            properties: {
              device_code: text('A secret of the client. Can be exchanged once.'),
              user_code: text('The code to show to the person, as `XXXX-XXXX`.'),
              verification_uri: text('The page on which the person types the code.'),
              verification_uri_complete: text(
                'The page that approves this request. The person types the code there too.',
              ),
              expires_in: { type: 'integer', description: 'Seconds.' },
              interval: { type: 'integer', description: 'Seconds between two polls.' },
            },
          }),
        },
        ...oauthFailures,
        ...failureResponses(500, 503),
      },
    },
  },
  [DEVICE_PATH]: {
    get: pageDescription('The page to type the code of a device.', 'device_page', REDIRECT),
    post: formDescription('Shows the request with this code, to approve it.', 'find_device', [
      'csrf',
      'user_code',
    ]),
  },
  [OAUTH_PATHS.revoke]: {
    post: {
      operationId: 'oauth_revoke',
      summary: 'Revokes a token with its grant (RFC 7009).',
      security: [],
      requestBody: formBody(['token', 'client_id'], {
        token: text('An access token or a refresh token.'),
        client_id: text('The client to which the token was issued.'),
      }),
      responses: {
        200: { description: 'Revoked, or unknown.' },
        ...oauthFailures,
        ...failureResponses(500, 503),
      },
    },
  },
  '/agent/grants/revoke': {
    post: formDescription('Revokes a program that was authorized with OAuth.', 'revoke_grant', [
      'grant',
      'csrf',
    ]),
  },
}
