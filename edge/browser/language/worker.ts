/** Runs the language service, so that checks do not block the page. Receives only requests of the editor on the page. */
import { actionDeclarations } from 'action-declarations'
import { LanguageService } from './language-service.ts'
import type { LanguageRequest, NumberedRequest, NumberedResponse } from './protocol.ts'

const service = new LanguageService(actionDeclarations)

function respond(request: LanguageRequest) {
  switch (request.method) {
    case 'complete':
      return service.complete(request.source, request.position)
    case 'explain':
      return service.explain(request.source, request.position, request.name)
    case 'hover':
      return service.hover(request.source, request.position)
    case 'check':
      return service.check(request.source)
  }
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- this is a worker, not a window
const post = (response: NumberedResponse) => globalThis.postMessage(response)

globalThis.addEventListener('message', ({ data }: MessageEvent<NumberedRequest>) => {
  const { id } = data
  try {
    post({ id, result: respond(data) })
  } catch (error) {
    // The compiler throws on some sources that it does not expect. The next request may succeed.
    console.warn(error)
    post({ id })
  }
})

// The first check parses the declarations.
service.check('')
post({})
