"""What a server says it serves: `/api`, `/apis` and below, in the old form and in the aggregated one.

Made from the served resources alone and handed out as encoded JSON; which form a request gets is up to the
HTTP layer.
"""
