"""All attacks."""

from tests.review.attacks.disguises import DISGUISES
from tests.review.attacks.orders import ORDERS

CORPUS = (*ORDERS, *DISGUISES)
