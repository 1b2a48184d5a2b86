/** Types of the part of https://docs.stripe.com/js that the payment page uses. */

type Elements = { create(type: 'payment'): { mount(place: string): void } }

type ConfirmationResult = {
  error?: { message?: string }
  paymentIntent?: { status: string }
}

type ProcessorClient = {
  elements(options: { clientSecret: string; appearance: { theme: 'stripe' | 'night' } }): Elements
  confirmPayment(options: {
    elements: Elements
    confirmParams: { return_url: string }
    redirect: 'if_required'
  }): Promise<ConfirmationResult>
}

type ProcessorFactory = (publishableKey: string) => ProcessorClient

/** @throws {Error} with a message for the payer */
export function loadProcessor(url: string): Promise<ProcessorFactory> {
  const unreachable = new Error('The payment processor could not be reached. Try again later.')
  return new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = url
    script.addEventListener('error', () => reject(unreachable))
    script.addEventListener('load', () => {
      const processor: unknown = Reflect.get(globalThis, 'Stripe')
      if (typeof processor === 'function') resolve(processor as ProcessorFactory)
      else reject(unreachable)
    })
    document.head.append(script)
  })
}
