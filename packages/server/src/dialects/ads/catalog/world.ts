/**
 * The advertiser behind every example: a maker of rain clothing and the campaign for its autumn collection.
 * A reader who puts the examples side by side sees the same ids and amounts come back.
 */
export const ids = {
  campaign: '01a0385c-c91e-7b42-9d0a-3e6f8c2b7a11',
  lineItem: '01a03862-41d7-7c90-8a55-0b4d9e71f326',
  package: '01a01462-95be-7e14-b3d8-75fa1c60e948',
  connection: '019cadf0-e2a4-7f08-a6c3-58d90b17c4ef',
  mediaPlanner: '019cadd1-97b0-7a6d-8e21-94c5f3da0b78',
  brandManager: '019cadd2-9d35-71e8-b7f4-2a08c6e95d13',
}

export const campaignTarget = { entityType: 'campaign', entityId: ids.campaign }

export const names = { campaign: 'Autumn rain jackets', segment: 'Visited a jacket page, last 30 days' }

export const euros = (amount: number) => ({ amountMinor: amount * 100, currency: 'EUR' })
