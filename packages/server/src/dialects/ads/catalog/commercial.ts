import { Type } from 'typebox'
import { FORMS } from '../../../core/textForms.ts'
import { closed, code, date, dateTime, nullable, url } from '../../payloadSchemas.ts'
import { count, eventType, money, name, uuid } from './shared.ts'
import { euros, ids } from './world.ts'

const group = 'Commercial'

const proposalMembers = {
  name: name('Its name, as the customer reads it.'),
  total: money('What it comes to, before tax.'),
  packageIds: Type.Array(uuid('A package, as the API knows it.'), {
    description: 'The packages it offers; empty when it is free-form.',
    maxItems: 100,
    uniqueItems: true,
  }),
  validUntil: nullable(date('Last day to sign it; null when it stays open.')),
}

const proposal = {
  name: 'Rain season, coastal reach',
  total: euros(22_500),
  packageIds: [ids.package],
  validUntil: '2026-09-05',
}

export const commercialEvents = [
  eventType({
    type: 'package.created.v1',
    entityType: 'package',
    title: 'Package created',
    description: 'A package of inventory was put together and can be offered.',
    group,
    schema: closed('The new package.', {
      name: name('Its name in the price list.'),
      placementCount: count('How many placements it bundles.'),
      price: money('Its list price, before tax.'),
      availableFrom: date('First day it can be booked for.'),
      availableUntil: nullable(date('Last day it can be booked for; null when it has no end.')),
    }),
    example: {
      name: 'Weather pages, coastal cities',
      placementCount: 14,
      price: euros(22_500),
      availableFrom: '2026-09-01',
      availableUntil: '2026-12-31',
    },
  }),
  eventType({
    type: 'deal.created.v1',
    entityType: 'deal',
    title: 'Deal created',
    description:
      'A deal between a buyer and a publisher was set up. Enter its deal id in the buying system to bid on it.',
    group,
    schema: closed('The new deal.', {
      name: name('Its name in the account.'),
      kind: code('How it is bought. New values can appear.', 'private_auction', 'preferred', 'guaranteed'),
      dealId: Type.String({
        description: 'The id that bid requests carry.',
        pattern: FORMS.dealId.pattern,
        maxLength: 64,
      }),
      packageId: nullable(uuid('The package it sells; null when it was made without one.')),
      cpm: money('The price of a thousand impressions: the floor in an auction, else the fixed price.'),
      startDate: date('First day it can be bought.'),
      endDate: nullable(date('Last day it can be bought; null when it has no end.')),
    }),
    example: {
      name: 'Coastal weather, autumn',
      kind: 'preferred',
      dealId: 'TT-2026-COAST-07',
      packageId: ids.package,
      cpm: euros(9),
      startDate: '2026-09-14',
      endDate: '2026-11-15',
    },
  }),
  eventType({
    type: 'proposal.created.v1',
    entityType: 'proposal',
    title: 'Proposal created',
    description:
      'A proposal was written for a customer. Use it to open the matching record in a sales system.',
    group,
    schema: closed('The new proposal.', proposalMembers),
    example: proposal,
  }),
  eventType({
    type: 'proposal.signed.v1',
    entityType: 'proposal',
    title: 'Proposal signed',
    description:
      'A customer signed a proposal. Use it to start booking and billing; the signed document is read with an API key.',
    group,
    schema: closed('The proposal as it was signed.', {
      ...proposalMembers,
      signedAt: dateTime('When it was signed.'),
      documentUrl: url('Where to read the signed document with an API key.'),
    }),
    example: {
      ...proposal,
      signedAt: '2026-09-02T14:26:51.090Z',
      documentUrl:
        'https://api.adplatform.example/v1/proposals/01a01eaf-4c6d-7310-8c9f-61d20e5a7b34/document',
    },
  }),
]
